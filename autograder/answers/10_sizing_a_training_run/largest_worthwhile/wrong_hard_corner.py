# fails: largest_worthwhile_by_hand, largest_worthwhile_properties
# says: this is the critical batch: by the law nothing ends there
def largest_worthwhile(critical_batch, examples_per_gpu, least_speedup):
    return critical_batch // examples_per_gpu
