def ratio_of_averages(traces, squared_norms):
    means = np.mean([traces, squared_norms], axis=1)
    if not means[1] > 0:
        return np.full(2, np.nan)
    ratio = means[0] / means[1]
    covariance = np.cov(traces, squared_norms) / len(traces)
    slope = np.array([1, -ratio]) / means[1]
    return np.array([ratio, np.sqrt(slope @ covariance @ slope)])
