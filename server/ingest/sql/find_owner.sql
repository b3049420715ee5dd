SELECT owner FROM source WHERE name = $1
