def wrong_rows(rows):
    found = []
    for row in rows:
        for key, value in row.items():
            if key.startswith("printed_"):
                ratio = value / row[key.replace("printed", "published")]
                if ratio < 0.9 or ratio > 1.1:
                    found.append(row["model"])
    return found
