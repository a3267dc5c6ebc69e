# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: the fraction is upside down: steps grow with B_crit / B
def steps_and_examples(s_min, b_crit, batch_size):
    steps = s_min * (1 + batch_size / b_crit)
    return steps, steps * batch_size
