def compute_optimal(flops, law):
    low, high = math.log(1e-6), math.log(1e24)
    share = (math.sqrt(5) - 1) / 2

    def gain(x):
        size = math.exp(x)
        return law.params_scale * size**-law.params_exponent + law.tokens_scale * (flops / 6 / size) ** -law.tokens_exponent

    for _ in range(120):
        left, right = high - share * (high - low), low + share * (high - low)
        if gain(left) < gain(right):
            high = right
        else:
            low = left
    return [math.exp(low), flops / 6 / math.exp(low)]
