# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: each of the steps uses batch_size examples, not S_min of them only
def steps_and_examples(s_min, b_crit, batch_size):
    return s_min * (1 + b_crit / batch_size), s_min * batch_size
