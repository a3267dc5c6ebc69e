# fails: wrong_rows_published
# says: the two rows of the published table that are wrong
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows, names=set()):
    for row in rows:
        for ending in ENDINGS:
            if abs(row["printed_" + ending] - row["published_" + ending]) > 0.1 * row["published_" + ending]:
                names.add(row["model"])
    return names
