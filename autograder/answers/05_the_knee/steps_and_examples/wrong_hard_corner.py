# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: a hard corner: beyond B_crit the steps go on falling, slowly
def steps_and_examples(s_min, b_crit, batch_size):
    steps = s_min * max(1, b_crit / batch_size)
    return steps, steps * batch_size
