# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: the 1 in the bracket is missing
def steps_and_examples(s_min, b_crit, batch_size):
    steps = s_min * b_crit / batch_size
    return steps, steps * batch_size
