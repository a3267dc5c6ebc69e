import math
from statistics import fmean, stdev


def ratio_of_averages(traces, squared_norms):
    t, q = fmean(traces), fmean(squared_norms)
    if q <= 0:
        return (math.nan, math.nan)
    deviations = [(trace - t / q * square) / q for trace, square in zip(traces, squared_norms)]
    return t / q, stdev(deviations) / math.sqrt(len(deviations))
