import { expect } from "chai";
import { isPublicAddress } from "../../orchestrator/primitives/guarded-http.ts";

describe("primitives/guarded-http", () => {
  it("knows which addresses are nobody's in particular", () => {
    const special =
      "0.0.0.0 10.1.2.3 127.9.9.9 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1 192.31.196.1 192.52.193.1 192.175.48.42 198.18.0.1 224.0.0.1 255.255.255.255";
    const special6 =
      ":: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::808:808 fc00::1 fd00::1 fd12::1 fe80::1 ff02::1 2001:db8::1 2002:7f00:1::1 2001:0:1::1 2620:4f:8000::42";
    for (const address of [...special.split(" "), ...special6.split(" "), "", "localhost", "127.1", "0x7f000001"])
      expect(isPublicAddress(address), address).to.equal(false);
    for (const address of [
      "1.1.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "8.8.8.8",
      "192.31.197.1",
      "192.175.49.1",
      "2620:4f:8001::1",
      "2606:4700::1111",
      "2a00:1450::1",
    ])
      expect(isPublicAddress(address), address).to.equal(true);
  });
});
