# fails: wrong_rows_published
# says: not off: batch_low printed as 1.81 where 2 is published
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    names = set()
    for row in rows:
        for ending in ENDINGS:
            if abs(row["printed_" + ending] - row["published_" + ending]) > 0.08 * row["published_" + ending]:
                names.add(row["model"])
    return names
