/** A call that nobody waits for any more while its request is out in a batch: it has not ended, and a later run takes it up. */
export class StillOut extends Error {
  override readonly name = "StillOut";
}
