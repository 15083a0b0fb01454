"""`kith match` and `kith trees` on catalogues of Rockstar, AHF, VELOCIraptor and HBT+, made here. Usage: finders_test.py PROGRAM"""

import unittest

import h5py
import numpy as np

from program import ProgramTest

HALO = "id internal_id num_p mvir mbound_vir rvir vmax rvmax vrms x y z vx vy vz Jx Jy Jz energy spin"
PARTICLE = "x y z vx vy vz particle_id assigned_internal_haloid internal_haloid external_haloid"


def write_rockstar(path, halos, a=1.0, first_id=0):
    """halos: (members without those of subhalos, number of its host or None); those below 3 members are not printed."""
    with open(path, "w") as f:
        f.write(f"#Halo table:\n#{HALO}\n#Particle table:\n#{PARTICLE}\n#Notes: none.\n#a = {a}\n")
        f.write("#Om = 0.3; Ol = 0.7; h = 0.7\n#Box size: 100.0 Mpc/h\n#Halo table begins here:\n")
        external, printed = [], first_id
        for i, (members, _) in enumerate(halos):
            external.append(printed if len(members) >= 3 else -1)
            printed += len(members) >= 3
            f.write(f"#{external[i]} {i} {len(members)} {len(members)}e10 1e10 200 150 30 99 {i} 2 3 4 5 6 0 0 0 0 0\n")
        f.write("#Particle table begins here:\n")

        def rows(i, root):
            for member in halos[i][0]:
                f.write(f"1.0 2.0 3.0 0 0 0 {member} {i} {root} {external[root]}\n")
            for child, (_, host) in enumerate(halos):
                if host == i:
                    rows(child, root)
        for i in range(len(halos)):
            rows(i, i)


def write_ahf(stem, halos, types=True):
    """halos: (ID, ID of its host or 0, all members)"""
    with open(stem + ".AHF_halos", "w") as f:
        f.write("#ID(1)\thostHalo(2)\tnumSubStruct(3)\tMvir(4)\tnpart(5)\tXc(6)\tYc(7)\tZc(8)\tVXc(9)\tVYc(10)\tVZc(11)\n")
        for number, host, members in halos:
            f.write(f"{number}\t{host}\t0\t{len(members)}e9\t{len(members)}\t1000\t2000\t3000\t10\t20\t30\n")
    with open(stem + ".AHF_particles", "w") as f:
        f.write(f"{len(halos)}\n")
        for number, _, members in halos:
            f.write(f"{len(members)} {number}\n")
            f.writelines(f"{m}\t{4 if m >= 900 else 1}\n" if types else f"{m}\n" for m in members)


def write_velociraptor(stem, structures, suffix="", a=1.0, types=True):
    """structures: (ID, ID of the host or -1, bound members, unbound ones)"""
    bound, loose = ([m for s in structures for m in s[k]] for k in (2, 3))
    offsets = [np.concatenate([[0], np.cumsum([len(s[k]) for s in structures])])[:-1] for k in (2, 3)]
    with h5py.File(f"{stem}.catalog_groups{suffix}", "w") as f:
        f["Num_of_groups"] = np.array([len(structures)])
        f["Group_Size"] = np.array([len(s[2]) + len(s[3]) for s in structures], np.uint32)
        f["Offset"], f["Offset_unbound"] = (np.array(o, np.uint64) for o in offsets)
    for name, ids in (("", bound), (".unbound", loose)):
        with h5py.File(f"{stem}.catalog_particles{name}{suffix}", "w") as f:
            f["Particle_IDs"] = np.array(ids, np.int64)
    if types:
        with h5py.File(f"{stem}.catalog_parttypes{suffix}", "w") as f:
            f["Particle_types"] = np.array([4 if m >= 900 else 1 for m in bound], np.uint16)
    with h5py.File(f"{stem}.properties{suffix}", "w") as f:
        f.attrs.update({"Time": a, "Period": 50.0, "Length_unit_to_kpc": 1000.0, "Mass_unit_to_solarmass": 1e10,
                        "Velocity_to_kms": 1.0, "Comoving_or_Physical": 0})
        f["ID"] = np.array([s[0] for s in structures], np.uint64)
        f["hostHaloID"] = np.array([s[1] for s in structures], np.int64)
        f["Mass_tot"] = np.array([float(len(s[2])) for s in structures])
        for k, name in enumerate(("Xc", "Yc", "Zc", "VXc", "VYc", "VZc")):
            f[name] = np.full(len(structures), float(k))


def write_hbt(path, tracks, files=1, a=1.0, member="TrackId"):
    """tracks: (number of the track, group or -1, bound particles, the most bound first)"""
    record = np.dtype([(member, np.int64), ("Nbound", np.int64), ("Mbound", np.float32), ("HostHaloId", np.int64),
                       ("VmaxPhysical", np.float32), ("InertialTensor", np.float32, 6),
                       ("ComovingMostBoundPosition", np.float64, 3), ("PhysicalAverageVelocity", np.float64, 3)])
    with h5py.File(path, "w") as f:
        f["NumberOfFiles"], f["SnapshotId"] = np.array([files], np.int32), np.array([7])
        f["Cosmology/ScaleFactor"] = np.array([a])
        f["Subhalos"] = np.array([(t, len(p), len(p) / 2, g, 9, range(6), (t, 2, 3), (4, 5, 6))
                                  for t, g, p in tracks], record)
        lists = f.create_dataset("SubhaloParticles", len(tracks), h5py.vlen_dtype(np.int64))
        for k, (_, _, particles) in enumerate(tracks):
            lists[k] = particles


class Finders(ProgramTest):
    def test_hbt_lists_bound_particles_in_order(self):
        large, small = list(range(1000)), list(range(1000, 1300))
        early, late = self.path("SubSnap_000.0.hdf5"), self.path("SubSnap_001.1.hdf5")
        # Tracks without members, or with their last particle alone, are no halos.
        write_hbt(early, [(3, 0, large), (8, 0, []), (4, 0, small), (5, -1, [7777])], a=0.5)
        write_hbt(self.path("SubSnap_001.0.hdf5"), [(8, -1, []), (4, 2, small)], files=2)
        write_hbt(late, [(3, 1, large[::-1])], files=2)
        found = self.matched(early, late)
        self.assertEqual((found["best"], found["shared"]), ([1, 0], [1000, 300]))
        self.assertAlmostEqual(found["score"][1], sum(1 / (1 + r ** 0.5) for r in range(300)))
        told = self.told("trees", early, late, "--orphans", "-o", self.path("t.hdf5"))
        self.assertEqual((told["halos"], told["mutual"]), (4, 2))
        self.assertIn("correct", self.works("verify", self.path("t.hdf5")))
        self.assertEqual(self.told("trees", "show", self.path("t.hdf5"), "--root", 1)["mass"], [500, 500])
        self.fails(2, "the types of its particles are unknown", "match", early, late, "--type", 1)

    def test_damaged_files_of_hbt_are_refused(self):
        good, bad = self.path("SubSnap_000.0.hdf5"), self.path("SubSnap_001.0.hdf5")
        write_hbt(good, [(1, 0, range(50)), (2, 0, range(50, 80))])
        write_hbt(bad, [(1, 0, range(50))], member="Number")
        self.fails(1, "no member TrackId", "match", good, bad)
        write_hbt(bad, [(1, 0, range(50))], files=3)
        self.fails(1, "SubSnap_001.1.hdf5", "match", good, bad)
        whole = open(good, "rb").read()
        with h5py.File(good) as f:
            row = f["SubhaloParticles"].id.get_offset()

        def changed(at, bytes_):
            with open(bad, "wb") as f:
                f.write(whole[:at] + bytes_ + whole[at + len(bytes_):])
        changed(row, (70).to_bytes(4, "little"))
        self.fails(1, "fewer than 70 numbers", "match", good, bad)
        changed(row, (10**9).to_bytes(4, "little"))
        self.fails(1, "numbers in a file of", "match", good, bad)
        changed(row + 4, (8).to_bytes(8, "little"))
        self.fails(1, "not where it says", "match", good, bad)
        changed(row + 4, (2**63).to_bytes(8, "little"))
        self.fails(1, "SubSnap_001.0.hdf5", "match", good, bad)
        changed(row + 12, (77).to_bytes(4, "little"))
        self.fails(1, "fewer than", "match", good, bad)
        at = whole.index(b"GCOL")
        changed(at + 24, (2**40).to_bytes(8, "little"))
        self.fails(1, "is cut off", "match", good, bad)

    def test_velociraptor_lists_bound_particles_in_order(self):
        large, small = list(range(10)), list(range(10, 15))
        write_velociraptor(self.path("a"), [(1, -1, large + [900], small[:2]), (2, 1, small, [])], a=0.5)
        write_velociraptor(self.path("b"), [(1, -1, small, [])], ".0", types=False)
        write_velociraptor(self.path("b"), [(2, 1, large[::-1], [])], ".1", types=False)
        found = self.matched(self.path("a.properties"), self.path("b.catalog_groups.0"))
        self.assertEqual((found["best"], found["shared"]), ([1, 0], [10, 5]))
        self.assertAlmostEqual(found["score"][1], sum(1 / (1 + r ** 0.5) for r in range(5)))
        told = self.told("trees", self.path("a.properties"), self.path("b.properties.0"), "--orphans", "-o",
                         self.path("t.hdf5"))
        self.assertEqual((told["halos"], told["mutual"]), (4, 2))
        self.assertIn("correct", self.works("verify", self.path("t.hdf5")))
        with h5py.File(self.path("a.catalog_groups"), "r+") as f:
            f["Offset"][1] = 99
        self.fails(1, "structure 0 has the particles from 0 to 99", "match", self.path("a.properties"),
                   self.path("b.properties.0"))

    def matched(self, a, b, *words):
        self.works("match", a, b, *words, "-o", self.path("m.npz"))
        m = np.load(self.path("m.npz"))
        return {name: m[name].tolist() for name in ("best", "second", "shared", "score")}

    def test_rockstar_particles_count_for_the_halo_they_are_assigned_to(self):
        host, sub, other = list(range(0, 12)), list(range(12, 17)), list(range(20, 28))
        early, late = self.path("halos_0.0.particles"), self.path("halos_1.0.particles")
        write_rockstar(early, [(host, None), (sub, 0), (other, None), ([90, 91], None)], a=0.5)
        write_rockstar(late, [(other, None), (host, None), (sub, 1)], a=1)
        found = self.matched(early, late)
        self.assertEqual((found["best"], found["second"]), ([1, 2, 0], [-1, -1, -1]))
        self.assertEqual((found["shared"], found["score"]), ([12, 5, 8], [12, 5, 8]))
        told = self.told("trees", early, late, "-o", self.path("t.hdf5"))
        self.assertEqual((told["halos"], told["mutual"]), (6, 3))
        self.assertIn("correct", self.works("verify", self.path("t.hdf5")))
        self.works("trees", "convert", self.path("t.hdf5"), "--format", "consistent-trees", "-o", self.path("tree_0_0_0.dat"))

    def test_rockstar_writes_chunks(self):
        one, two = list(range(5)), list(range(5, 12))
        write_rockstar(self.path("halos_0.0.particles"), [(one, None)])
        write_rockstar(self.path("halos_0.1.particles"), [(two, None)], first_id=1)
        write_rockstar(self.path("halos_1.0.particles"), [(two, None), (one, None)])
        open(self.path("halos_0.0.ascii"), "w").close()
        found = self.matched(self.path("halos_0.0.ascii"), self.path("halos_1.0.particles"))
        self.assertEqual((found["best"], found["shared"]), ([1, 0], [5, 7]))

    def test_ahf_lists_subhalos_in_their_hosts(self):
        host, sub = list(range(0, 10)), list(range(10, 16))
        early, late = self.path("snap_0.z1.000"), self.path("snap_1.z0.000")
        big = 2**63 + 11  # IDs have 64 bits
        write_ahf(early, [(big, 0, host + sub + [900, 901, 902]), (7, big, sub)])
        write_ahf(late, [(1, 0, sub + host), (2, 1, sub)], types=False)
        found = self.matched(early + ".AHF_halos", late + ".AHF_particles")
        self.assertEqual((found["best"], found["second"]), ([0, 1], [-1, -1]))
        self.assertEqual(found["shared"], [10, 6])
        self.works("trees", early + ".AHF_halos", late + ".AHF_halos", "-o", self.path("t.hdf5"))
        self.assertIn("correct", self.works("verify", self.path("t.hdf5")))
        self.assertEqual(self.told("trees", "show", self.path("t.hdf5"))["mass"], [16e9, 19e9])

    def test_ahf_of_several_processes(self):
        write_ahf(self.path("s.0000.z0.500"), [(5, 0, [1, 2, 3])])
        write_ahf(self.path("s.0001.z0.500"), [(6, 0, [4, 5, 6, 7])])
        write_ahf(self.path("t.z0.000"), [(5, 0, [4, 5, 6]), (6, 0, [1, 2, 3])])
        found = self.matched(self.path("s.0001.z0.500.AHF_halos"), self.path("t.z0.000.AHF_halos"))
        self.assertEqual((found["best"], found["shared"]), ([1, 0], [3, 3]))

    def test_damaged_catalogues_are_named(self):
        write_ahf(self.path("a.z0.000"), [(5, 0, [1, 2, 3])])
        write_rockstar(self.path("halos_0.0.particles"), [([1, 2, 3], None)])
        good, bad = self.path("a.z0.000.AHF_halos"), self.path("b.z0.000")
        for change, words in ((lambda text: text[:text.rindex("3")], "ends within a list"),
                              (lambda text: text.replace("2\t", "x\t"), "not of whole numbers"),
                              (lambda text: text.replace("1\n", "2\n", 1), "ends within a list")):
            write_ahf(bad, [(5, 0, [1, 2, 3])])
            with open(bad + ".AHF_particles") as f:
                text = change(f.read())
            with open(bad + ".AHF_particles", "w") as f:
                f.write(text)
            self.fails(1, words, "match", good, bad + ".AHF_halos")
        for cut, words in (("#Particle table begins", "not a complete table"), ("vx vy vz Jx", "a line of")):
            with open(self.path("halos_0.0.particles")) as f:
                text = f.read()
            with open(self.path("halos_3.0.particles"), "w") as f:
                f.write(text[:text.index(cut)] if cut.startswith("#P") else text.replace(cut, "vx vy vz more and Jx", 1))
            self.fails(1, words, "match", good, self.path("halos_3.0.particles"))


if __name__ == "__main__":
    unittest.main()
