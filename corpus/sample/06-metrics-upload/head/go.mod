module stonecrop.example/agent

go 1.21
