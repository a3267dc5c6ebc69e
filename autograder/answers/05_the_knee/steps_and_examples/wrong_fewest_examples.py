# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: these are the fewest examples; a step uses batch_size of them
def steps_and_examples(s_min, b_crit, batch_size):
    return s_min * (1 + b_crit / batch_size), s_min * b_crit
