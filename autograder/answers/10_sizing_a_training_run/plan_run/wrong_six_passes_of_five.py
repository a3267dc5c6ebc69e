# fails: plan_run_reading
# says: four passes of three
def plan_run():
    brief = Brief(
        model,
        tokens=260e9,
        noise_scale=4000 * 1024,
        known=Known("adamw", 512 * 4096, 3e-4, 1000 * 512 * 4096),
        cluster=Cluster(96, 8, 72 * 2**30 / 1e9, 989, 0.36 * 6 / 5, 50, 2e-5, 2.5),
        limits=Limits(14, 50_000, 325e9),
    )
    return brief, Choice(64, 3, "selective", 4, 1, 1.5e-4, 4000)
