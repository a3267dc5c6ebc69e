# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: a hard corner: at B_crit the steps are still twice the fewest
def steps_and_examples(s_min, b_crit, batch_size):
    bracket = b_crit / batch_size if batch_size <= b_crit else 1 + b_crit / batch_size
    return s_min * bracket, s_min * bracket * batch_size
