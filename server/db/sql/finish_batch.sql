UPDATE batch SET receipt = $2, run = $3, repeats = $4 WHERE id = $1
