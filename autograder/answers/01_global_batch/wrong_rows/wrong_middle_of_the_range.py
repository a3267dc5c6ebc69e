# fails: wrong_rows_small_table, wrong_rows_published
# says: batch a little too high at the start
def wrong_rows(rows):
    names = set()
    for row in rows:
        for kind in ("batch", "rate"):
            printed = (row[f"printed_{kind}_low"] + row[f"printed_{kind}_high"]) / 2
            published = (row[f"published_{kind}_low"] + row[f"published_{kind}_high"]) / 2
            if abs(printed - published) > 0.1 * published:
                names.add(row["model"])
    return names
