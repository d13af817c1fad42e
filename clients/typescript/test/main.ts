// node main.js URL TOKEN
import { run } from "./program.js";
import { args, webSocket } from "./runtime.js";

await run(args[0]!, args[1]!, webSocket, line => console.log(line));
console.log("done");
