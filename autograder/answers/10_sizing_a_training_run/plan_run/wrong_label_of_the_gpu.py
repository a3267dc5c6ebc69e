# fails: plan_run_reading, plan_run_fits
# says: this is what the label says
# says: GB of activations, and has 77.309 GB
# says: look again at what you read
def plan_run():
    brief = Brief(
        model,
        tokens=260e9,
        noise_scale=4000 * 1024,
        known=Known("adamw", 512 * 4096, 3e-4, 1000 * 512 * 4096),
        cluster=Cluster(96, 8, 80, 989, 0.48, 50, 2e-5, 2.5),
        limits=Limits(14, 50_000, 325e9),
    )
    return brief, Choice(96, 3, "selective", 5, 1, 2.05e-4, 2200)
