def steps_and_examples(s_min, b_crit, batch_size):
    return np.multiply(s_min * (1 + np.divide(b_crit, batch_size)), [1, batch_size])
