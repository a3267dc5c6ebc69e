# fails: predicted_epochs_table
def predicted_epochs(area, batch_size, num_examples):
    if num_examples == 20_000:
        return {256: 3, 1024: 6, 4096: 22}.get(batch_size, 2)
    return 6
