# fails: ratio_of_averages_by_hand, ratio_of_averages_honest
# says: the mean of the ratios of single steps; average numerator and denominator first
def ratio_of_averages(traces, squared_norms):
    ratios = np.array(traces) / np.array(squared_norms)
    return ratios.mean(), ratios.std(ddof=1) / len(ratios) ** 0.5
