package queue_test

import "os"

// soaking is set by "make soak": the races are tried, and processes killed, as often as the reports say.
var soaking = os.Getenv("SOAK") != ""
