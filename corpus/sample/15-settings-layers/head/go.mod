module brookmere.example/relay

go 1.21
