# fails: plan_run_reading
# says: the 8 are GiB, too
def plan_run():
    brief = Brief(
        model,
        tokens=260e9,
        noise_scale=4000 * 1024,
        known=Known("adamw", 512 * 4096, 3e-4, 1000 * 512 * 4096),
        cluster=Cluster(96, 8, 80 * 2**30 / 1e9 - 8, 989, 0.48, 50, 2e-5, 2.5),
        limits=Limits(14, 50_000, 325e9),
    )
    return brief, Choice(48, 3, "selective", 4, 1, 1.3e-4, 5400)
