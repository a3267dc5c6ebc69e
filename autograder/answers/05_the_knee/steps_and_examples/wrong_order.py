# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: these are examples, steps; asked for are steps, examples
def steps_and_examples(s_min, b_crit, batch_size):
    steps = s_min * (1 + b_crit / batch_size)
    return steps * batch_size, steps
