// Which protocols a server agrees to by ALPN, best first; "refused" when its certificate is.
import { args, isDeno } from "./connect-client.mjs";

const [hostname, port] = args;

async function agreed(alpnProtocols) {
  if (isDeno) {
    const connection = await Deno.connectTls({ hostname, port: Number(port), alpnProtocols });
    const { alpnProtocol } = await connection.handshake();
    connection.close();
    return alpnProtocol;
  }
  const { connect } = await import("node:tls");
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port, ALPNProtocols: alpnProtocols }, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

try {
  console.log(await agreed(["h2", "http/1.1"]));
  console.log(await agreed(["http/1.1"]));
} catch (error) {
  if (!/certificate|issuer|signed/i.test(`${error.code} ${error.message}`)) throw error;
  console.log("refused");
}
