INSERT INTO tuned SELECT * FROM stored_tuned
