// Loaded first in an executable whose runtime base is older than Deno 2.7, as CI's may be where only
// such a base can be had; no release is built on one. Those bases know `lock` but not `tryLock`.
const waiting = new WeakMap();

Deno.FsFile.prototype.tryLock ??= async function tryLock(exclusive = false) {
  // One request a file: the system's queue keeps it while the caller asks again.
  const request = waiting.get(this) ?? { granted: false };
  if (!waiting.has(this)) {
    waiting.set(this, request);
    request.done = this.lock(exclusive).then(() => request.granted = true);
    // A file that is closed meanwhile ends its request; nobody is waiting for it then.
    request.done.catch(() => waiting.delete(this));
  }
  let timer;
  const patience = new Promise((resolve) => timer = setTimeout(resolve, 20));
  await Promise.race([request.done, patience]);
  clearTimeout(timer);
  if (request.granted) waiting.delete(this);
  return request.granted;
};

Deno.FsFile.prototype.tryLockSync ??= function tryLockSync(exclusive = false) {
  this.lockSync(exclusive);
  return true;
};
