package io.kvreactive.server;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The process of a {@link CommandHost}: runs the commands that arrive on a connection, one after
 * the other. It ends with the connection. Uses no other class of the tests.
 */
final class CommandLoop {
  private CommandLoop() {}

  public static void main(String[] args) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        DataInputStream commands = new DataInputStream(socket.getInputStream());
        DataOutputStream codes = new DataOutputStream(socket.getOutputStream())) {
      while (true) {
        String[] command = new String[commands.readInt()];
        for (int i = 0; i < command.length; i++) {
          command[i] = new String(bytes(commands), StandardCharsets.UTF_8);
        }
        System.setIn(new ByteArrayInputStream(bytes(commands)));
        int code = KvMain.run(command);
        System.out.flush();
        System.err.flush();
        codes.writeInt(code);
      }
    } catch (EOFException e) {
      Runtime.getRuntime().halt(0); // the test has ended
    }
  }

  private static byte[] bytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return bytes;
  }
}
