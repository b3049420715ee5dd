SELECT family, max(number) FROM revision_family GROUP BY family
