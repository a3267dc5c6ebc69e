# fails: wrong_rows_published
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    return {
        row["model"]
        for row in rows
        if sum(abs(row["printed_" + end] / row["published_" + end] - 1) for end in ENDINGS) > 0.1
    }
