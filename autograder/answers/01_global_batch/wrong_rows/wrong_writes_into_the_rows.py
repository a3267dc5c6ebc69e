# fails: wrong_rows_published
# says: the rows unchanged
# says: the function writes into its input
def wrong_rows(rows):
    for row in rows:
        row["off"] = any(
            abs(row["printed_" + ending] / row["published_" + ending] - 1) > 0.1
            for ending in ("batch_low", "batch_high", "rate_low", "rate_high")
        )
    return {row["model"] for row in rows if row["off"]}
