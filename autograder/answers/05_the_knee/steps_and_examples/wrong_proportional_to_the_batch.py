# fails: steps_and_examples_by_hand, steps_and_examples_law
# says: beyond B_crit the steps do not rise; the examples do
def steps_and_examples(s_min, b_crit, batch_size):
    steps = s_min * batch_size / b_crit
    return steps, steps * batch_size
