def steps_and_examples(s_min, b_crit, batch_size):
    e_min = b_crit * s_min
    return [s_min + e_min / batch_size, e_min + s_min * batch_size]
