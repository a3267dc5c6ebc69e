def fine(printed, published):
    return 0.9 * published <= printed <= 1.1 * published


def wrong_rows(rows):
    return {
        row["model"]
        for row in rows
        if not (
            fine(row["printed_batch_low"], row["published_batch_low"])
            and fine(row["printed_batch_high"], row["published_batch_high"])
            and fine(row["printed_rate_low"], row["published_rate_low"])
            and fine(row["printed_rate_high"], row["published_rate_high"])
        )
    }
