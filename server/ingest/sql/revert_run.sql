UPDATE run SET reverted = now(), active = false WHERE id = $1
