# fails: wrong_rows_small_table, wrong_rows_published
ENDINGS = ("batch_low", "batch_high", "rate_low", "rate_high")


def wrong_rows(rows):
    return {
        row["model"]
        for row in rows
        if all(abs(row["printed_" + end] - row["published_" + end]) > 0.1 * row["published_" + end] for end in ENDINGS)
    }
