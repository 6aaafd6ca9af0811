// Command natsserver is a server of a NATS cluster for tests: a process of its own, which
// can be killed. Its arguments: the folder of its files, its name, its address, the
// address of its routes, and those of all routes, with commas.
package main

import (
	"log"
	"net"
	"os"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
)

func address(text string) (string, int) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		log.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		log.Fatal(err)
	}
	return host, n
}

func main() {
	o := &server.Options{StoreDir: os.Args[1], ServerName: os.Args[2], JetStream: true, NoLog: true, RoutesStr: os.Args[5]}
	o.Host, o.Port = address(os.Args[3])
	o.Cluster.Name = "landgo"
	o.Cluster.Host, o.Cluster.Port = address(os.Args[4])
	o.Routes = server.RoutesFromStr(os.Args[5])
	s, err := server.NewServer(o)
	if err != nil {
		log.Fatal(err)
	}
	s.Start()
	s.WaitForShutdown()
}
