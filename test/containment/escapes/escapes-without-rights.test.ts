import { attackers } from "./hostile-place.js";
import { tryEscapes } from "./try-escapes.js";

// A file of its own, to be tried beside the other one.
for (const user of attackers().slice(1)) tryEscapes(user);
