UPDATE batch SET receipt = $2, run = $3 WHERE id = $1
