from largebatch.brief import parse
from largebatch.choice import rate_for, warmup_for


def plan_run():
    brief = parse(
        {
            "model": vars(model),
            "tokens": 260e9,
            "noise_scale": 4000 * 1024,
            "known": {"optimizer": "adamw", "batch": 512 * 4096, "learning_rate": 3e-4, "warmup": 1000 * 512 * 4096},
            "cluster": {
                "num_gpus": 96,
                "gpus_per_node": 8,
                "memory": 77.3,
                "peak": 989,
                "utilisation": 0.36 * 4 / 3,
                "bandwidth": 50,
                "latency": 20e-6,
                "price": 2.5,
            },
            "limits": {"days": 14, "dollars": 50_000, "tokens": 325e9},
        }
    )
    for num_gpus in range(96, 0, -8):
        for stage in (3, 2, 1):
            for micro_batch in (4, 3, 2):
                batch = num_gpus * micro_batch * 2048
                choice = Choice(
                    num_gpus, stage, "selective", micro_batch, 1, rate_for(brief, batch), warmup_for(brief, batch)
                )
                if not objections(outcome(brief, choice)):
                    return [brief, choice]
