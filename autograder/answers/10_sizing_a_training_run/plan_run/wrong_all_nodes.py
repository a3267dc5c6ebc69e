# fails: plan_run_reading, plan_run_fits
# says: two of the 14 nodes are not ours
# says: 112 GPUs are asked for, the cluster has 96
def plan_run():
    brief = Brief(
        model,
        tokens=260e9,
        noise_scale=4000 * 1024,
        known=Known("adamw", 512 * 4096, 3e-4, 1000 * 512 * 4096),
        cluster=Cluster(112, 8, 77.3, 989, 0.48, 50, 2e-5, 2.5),
        limits=Limits(14, 50_000, 325e9),
    )
    return brief, Choice(112, 2, "selective", 3, 1, 1.72e-4, 3100)
