# fails: wrong_rows_small_table, wrong_rows_published
# says: wrongly accused: ['Chinchilla 70B', 'GPT-3 175B']
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    rows = table("published_batches")
    names = set()
    for row in rows:
        for ending in ENDINGS:
            if abs(row["printed_" + ending] - row["published_" + ending]) > 0.1 * row["published_" + ending]:
                names.add(row["model"])
    return names
