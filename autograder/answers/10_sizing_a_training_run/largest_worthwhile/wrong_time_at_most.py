# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this limits the time to 1.3 times the floor
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return math.ceil(critical_batch / examples_per_gpu / (least_speedup - 1))
