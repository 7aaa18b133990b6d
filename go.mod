module ctxfs

go 1.26
