# fails: steps_and_examples_law
def steps_and_examples(s_min, b_crit, batch_size):
    steps = -int(-s_min * (1 + b_crit / batch_size) // 1)
    return steps, steps * batch_size
