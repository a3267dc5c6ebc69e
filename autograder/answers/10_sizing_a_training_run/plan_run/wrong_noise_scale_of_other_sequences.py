# fails: plan_run_reading, plan_run_limits
# says: those of the pilot, 1024 tokens long
# says: billion tokens at this batch
# says: by your own brief nothing of this
def plan_run():
    brief = Brief(
        model,
        tokens=260e9,
        noise_scale=4000 * 2048,
        known=Known("adamw", 512 * 4096, 3e-4, 1000 * 512 * 4096),
        cluster=Cluster(96, 8, 72 * 2**30 / 1e9, 989, 0.48, 50, 2e-5, 2.5),
        limits=Limits(14, 50_000, 325e9),
    )
    return brief, Choice(96, 2, "selective", 3, 3, 2.75e-4, 1200)
