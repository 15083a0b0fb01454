"""`kith fof`, `kith subhalos` and their files. Usage: groups_test.py PROGRAM"""

import json
import os
import subprocess
import unittest

import h5py
import numpy as np

from program import PROGRAM, ProgramTest, brute_labels, clumps, run


def write_gadget(path, parts, box=1.0, a=0.5, extra=()):
    """A snapshot as Gadget-4 lays it out; parts: {type: (positions, velocities, masses, ids)}."""
    with h5py.File(path, "w") as f:
        counts = np.zeros(6, np.uint64)
        for t, (x, *_) in parts.items():
            counts[t] = len(x)
        h = f.create_group("Header").attrs
        h["NumPart_ThisFile"], h["NumPart_Total"] = counts, counts
        h["MassTable"], h["Time"], h["Redshift"] = np.zeros(6), a, 1 / a - 1
        h["BoxSize"], h["NumFilesPerSnapshot"] = box, np.int32(1)
        p = f.create_group("Parameters").attrs
        p["Omega0"], p["OmegaLambda"], p["OmegaBaryon"], p["HubbleParam"] = 0.3, 0.7, 0.05, 0.7
        p["UnitLength_in_cm"], p["UnitMass_in_g"] = 3.085678e24, 1.989e43
        p["UnitVelocity_in_cm_per_s"] = 1e5
        for t, (x, v, m, ids) in parts.items():
            g = f.create_group(f"PartType{t}")
            g["Coordinates"], g["Velocities"], g["Masses"], g["ParticleIDs"] = x, v, m, ids


def text(value):
    """Attributes are strings of fixed length, as other codes write them."""
    return value.decode() if isinstance(value, bytes) else value


def particles(x, seed):
    random = np.random.default_rng(seed)
    return (x, random.normal(0, 100, x.shape).astype(np.float32),
            random.uniform(1, 2, len(x)).astype(np.float32),
            random.permutation(len(x)).astype(np.uint64) + np.uint64(1000 * seed))


class Groups(ProgramTest):
    LENGTH = 0.03

    def setUp(self):
        super().setUp()
        self.x = clumps()
        self.label = brute_labels(self.x, self.LENGTH, 1.0, 10)
        self.points = self.save("x.npy", self.x)

    def snapshot(self):
        self.parts = {1: particles(self.x, 1)}
        write_gadget(self.path("s.hdf5"), self.parts)
        return self.path("s.hdf5")

    def fof(self, *words, name="h.hdf5"):
        self.works("fof", *words, "--linking-length", self.LENGTH, "--min-size", 10, "-o", self.path(name))
        return self.path(name)

    def test_help_and_odd_names(self):
        self.assertEqual(self.works("help", "fof"), self.works("fof", "--help"))
        self.assertIn("kith fof", self.works("help"))
        points = self.save("x.npy", clumps())
        odd = os.path.join(os.fsencode(self.folder.name), b"x\xff\xe9.npy")
        os.rename(points, odd)
        done = subprocess.run([PROGRAM, "info", odd, "--json"], capture_output=True, check=True)
        self.assertIn("\ufffd", json.loads(done.stdout.decode("utf-8"))["snapshot"])
        done = run("fof", os.fsdecode(odd), "-b", 0.2, "--min-size", -1)
        self.assertLess(len(done.stderr), 200)
        self.assertIn("not a positive number", done.stderr)

    def test_labels_equal_brute_force(self):
        file = np.load(self.fof(self.points, "--box", "1", name="h.npz"))
        np.testing.assert_array_equal(file["label"], self.label)
        sizes = np.bincount(self.label[self.label >= 0])
        np.testing.assert_array_equal(file["size"], sizes)
        self.assertGreater(len(sizes), 5)
        self.assertIn(b"linking_length = 0.0", bytes(file["about"]))

    def test_b_is_a_fraction_of_the_mean_separation(self):
        told = self.told("fof", self.points, "--box", "1", "-b", "0.2")
        self.assertAlmostEqual(told["linking_length"], 0.2 * len(self.x) ** (-1 / 3), places=6)

    def test_json_tells_the_largest(self):
        told = self.told("fof", self.points, "--box", "1", "--linking-length", self.LENGTH, "--min-size", 10,
                         "--rows", 3)
        self.assertEqual(told["groups"], self.label.max() + 1)
        self.assertEqual(told["grouped_points"], (self.label >= 0).sum())
        self.assertEqual([g["size"] for g in told["largest"]],
                         [int((self.label == g).sum()) for g in range(3)])
        self.assertGreater(told["memory"], 12 * len(self.x))

    def test_table_shows_ten_groups_with_units(self):
        lines = self.works("fof", self.snapshot(), "--linking-length", self.LENGTH, "--min-size", 10).splitlines()
        head = next(i for i, line in enumerate(lines) if "group" in line and "size" in line)
        for word in ("mass [1e10 Msun/h]", "x [Mpc/h]", "radius [Mpc/h]", "dispersion [km/s]"):
            self.assertIn(word, lines[head])
        rows = [line.split() for line in lines[head + 1:head + 11]]
        self.assertEqual([int(row[0]) for row in rows], list(range(10)))
        self.assertEqual(int(rows[0][1]), (self.label == 0).sum())

    def test_gadget_file_has_what_its_readers_ask_for(self):
        with h5py.File(self.fof(self.snapshot())) as f:
            header = dict(f["Header"].attrs)
            groups = self.label.max() + 1
            for name in ("Ngroups_ThisFile", "Ngroups_Total"):
                self.assertEqual(header[name], groups)
            for name in ("Nsubhalos_Total", "Nsubgroups_Total", "Nsubgroups_ThisFile"):
                self.assertEqual(header[name], 0)
            self.assertEqual(header["Nids_Total"], (self.label >= 0).sum())
            self.assertEqual(header["NumFiles"], 1)
            self.assertAlmostEqual(header["Time"], 0.5)
            self.assertAlmostEqual(header["Redshift"], 1.0)
            self.assertEqual(header["BoxSize"], 1.0)
            for name, value in {"Omega0": 0.3, "OmegaLambda": 0.7, "HubbleParam": 0.7}.items():
                self.assertAlmostEqual(header[name], value)
                self.assertAlmostEqual(f["Parameters"].attrs[name], value)
            for name in ("Group", "Subhalo", "IDs", "Parameters", "Config", "Kith"):
                self.assertIn(name, f)
            self.assertNotIn("FOF", f)
            for name in ("GroupLen", "GroupLenByType", "GroupOffsetByType", "GroupMass", "GroupMassType", "GroupPos",
                         "GroupCM", "GroupVel", "GroupAscale", "GroupNsubs", "GroupFirstSub"):
                self.assertEqual(len(f["Group"][name]), groups, name)
                self.assertTrue(f["Group"][name].attrs["description"], name)
            self.assertEqual(f["Group/GroupLen"].dtype, np.int32)
            self.assertEqual(f["Group/GroupOffsetByType"].dtype, np.int64)
            self.assertEqual(text(f["Group/GroupMass"].attrs["unit"]), "1e10 Msun/h")
            self.assertEqual(f["Group/GroupMass"].attrs["h_scaling"], -1)
            self.assertAlmostEqual(f["Group/GroupMass"].attrs["to_cgs"] / 1.989e43, 1)
            self.assertEqual(f["Group/GroupCM"].attrs["a_scaling"], 1)
            self.assertEqual(f["Kith"].attrs["min_size"], 10)
            self.assertEqual(text(f["Kith"].attrs["kind"]), "fof")

    def test_sums_are_those_of_the_members(self):
        path = self.snapshot()
        x, v, m, _ = self.parts[1]
        peculiar = v.astype(float) * np.sqrt(0.5)
        with h5py.File(self.fof(path)) as f:
            for g in range(self.label.max() + 1):
                member = self.label == g
                mass = m[member].astype(float)
                self.assertAlmostEqual(f["Group/GroupMass"][g] / mass.sum(), 1, places=9)
                first = x[member][0].astype(float)
                d = x[member] - first
                d -= np.round(d)
                center = (first + (d * mass[:, None]).sum(0) / mass.sum()) % 1
                np.testing.assert_allclose(f["Group/GroupCM"][g], center, atol=1e-9)
                mean = (peculiar[member] * mass[:, None]).sum(0) / mass.sum()
                np.testing.assert_allclose(f["Group/GroupVel"][g], 0.5 * mean, atol=1e-4)
                self.assertEqual(f["Group/GroupLenByType"][g, 1], member.sum())

    def test_members_are_found_as_illustris_python_finds_them(self):
        path = self.fof(self.snapshot())
        ids = self.parts[1][3]
        with h5py.File(path) as f, h5py.File(self.path("s.hdf5")) as s:
            order = f["Order/PartType1"][:]
            self.assertEqual(sorted(order), list(range(len(self.x))))
            for g in (0, 3):
                begin = f["Group/GroupOffsetByType"][g, 1]
                rows = order[begin:begin + f["Group/GroupLenByType"][g, 1]]
                np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(self.label == g))
                stored = s["PartType1/ParticleIDs"][:][rows]
                offset = f["Group/GroupLen"][:g].sum()
                np.testing.assert_array_equal(f["IDs/ID"][offset:offset + len(rows)], stored)
                self.assertTrue(set(stored) <= set(ids))

    def test_labels_in_hdf5(self):
        with h5py.File(self.fof(self.snapshot(), "--labels", "--no-order", "--compression", 4)) as f:
            np.testing.assert_array_equal(f["Labels/PartType1"][:], self.label)
            self.assertNotIn("Order", f)
            self.assertEqual(f["Labels/PartType1"].compression, "gzip")

    def test_swift_style(self):
        with h5py.File(self.fof(self.snapshot(), "--style", "swift")) as f:
            groups = self.label.max() + 1
            self.assertEqual(f["Header"].attrs["NumGroups_Total"], groups)
            self.assertEqual(text(f["Header"].attrs["OutputType"]), "FOF")
            np.testing.assert_array_equal(f["Header"].attrs["BoxSize"], [1, 1, 1])
            np.testing.assert_array_equal(f["Groups/GroupIDs"][:], np.arange(1, groups + 1))
            np.testing.assert_array_equal(f["Groups/Sizes"][:], np.bincount(self.label[self.label >= 0]))
            expected = np.where(self.label < 0, 2147483647, self.label + 1)
            np.testing.assert_array_equal(f["PartType1/FOFGroupIDs"][:], expected)
            np.testing.assert_array_equal(f["PartType1/ParticleIDs"][:], self.parts[1][3])
            for name in ("Masses", "Centres", "Radii", "Sizes"):
                attributes = f["Groups"][name].attrs
                self.assertTrue(attributes["Description"])
                self.assertIn("U_M exponent", attributes)
            # h-free units, as SWIFT has them
            self.assertAlmostEqual(f["Units"].attrs["Unit length in cgs (U_L)"] * 0.7 / 3.085678e24, 1)
            for name in ("Units", "InternalCodeUnits", "Cosmology", "Code", "Parameters"):
                self.assertIn(name, f)

    def test_csv_has_a_row_for_each_group(self):
        with open(self.fof(self.points, "--box", "1", name="h.csv"), encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        names = lines[0].strip().split(",")
        table = np.array([list(map(float, line.split(","))) for line in lines[1:]])
        np.testing.assert_array_equal(table[:, names.index("size")], np.bincount(self.label[self.label >= 0]))
        self.assertIn("center_x", names)

    def test_types_link_and_attach(self):
        random = np.random.default_rng(9)
        gas = random.random((400, 3)).astype(np.float32)
        write_gadget(self.path("s.hdf5"), {0: particles(gas, 2), 1: particles(self.x, 1)})
        path = self.fof(self.path("s.hdf5"), "--labels")  # dark matter is linked, gas attached
        limit = np.float32(self.LENGTH) ** 2
        with h5py.File(path) as f:
            np.testing.assert_array_equal(f["Labels/PartType1"][:], self.label)
            labels = f["Labels/PartType0"][:]
            for i in range(len(gas)):
                dx = np.abs(self.x - gas[i])
                dx = np.minimum(dx, np.float32(1) - dx)
                d2 = dx[:, 0] * dx[:, 0] + dx[:, 1] * dx[:, 1] + dx[:, 2] * dx[:, 2]
                nearest = int(np.argmin(d2))
                self.assertEqual(labels[i], self.label[nearest] if d2[nearest] <= limit else -1)
            self.assertGreater((labels >= 0).sum(), 3)
            np.testing.assert_array_equal(f["Group/GroupLenByType"][:, 0],
                                          np.bincount(labels[labels >= 0], minlength=len(f["Group/GroupLen"])))
            begin, size = f["Group/GroupOffsetByType"][0, 0], f["Group/GroupLenByType"][0, 0]
            rows = f["Order/PartType0"][begin:begin + size]
            np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(labels == 0))
        self.assertIn("attached points belong", self.works("verify", self.path("s.hdf5"), path))
        told = self.told("fof", self.path("s.hdf5"), "-b", "0.2", "--link-types", "0,1")
        self.assertEqual((told["link_types"], told["attach_types"]), ([0, 1], []))
        self.assertEqual(told["points"], 1900)

    def test_overdensities_and_densest_center(self):
        path = self.fof(self.snapshot(), "--overdensities", "--center", "density")
        with h5py.File(path) as f:
            for kind in ("Crit200", "Crit500", "Mean200", "TopHat200"):
                mass, radius = f[f"Group/Group_M_{kind}"][:], f[f"Group/Group_R_{kind}"][:]
                self.assertEqual(len(mass), self.label.max() + 1)
                self.assertTrue(((mass > 0) == (radius > 0)).all())
            # 200 times the critical density of h = 0.7, z = 1, in 1e10 Msun/h and comoving Mpc/h
            critical = 27.7536627 * (0.3 * 8 + 0.7) / 8
            mass, radius = f["Group/Group_M_Crit200"][:], f["Group/Group_R_Crit200"][:]
            is_there = mass > 0
            if is_there.any():
                density = mass[is_there] / (4 / 3 * np.pi * radius[is_there] ** 3)
                np.testing.assert_allclose(density, 200 * critical, rtol=2e-3)
            # The densest member is a member.
            positions = {tuple(row) for row in self.x.tolist()}
            self.assertTrue(all(tuple(row) in positions for row in f["Group/GroupPos"][:].tolist()))

    def test_subhalos_lie_in_their_groups(self):
        path = self.path("h.hdf5")
        told = self.told("subhalos", self.snapshot(), "--linking-length", self.LENGTH, "--min-size", 10,
                         "--phase-linking-length", 0.7, "--subhalo-min-size", 5, "-o", path)
        self.assertGreater(told["subhalos"], 3)
        with h5py.File(path) as f:
            parent, size = f["Subhalo/SubhaloGrNr"][:], f["Subhalo/SubhaloLen"][:]
            self.assertEqual(len(parent), told["subhalos"])
            self.assertEqual(f["Header"].attrs["Nsubhalos_Total"], len(parent))
            np.testing.assert_array_equal(f["Group/GroupNsubs"][:],
                                          np.bincount(parent, minlength=len(f["Group/GroupLen"])))
            order = f["Order/PartType1"][:]
            for s in range(len(parent)):
                begin = f["Subhalo/SubhaloOffsetByType"][s, 1]
                rows = order[begin:begin + f["Subhalo/SubhaloLenByType"][s, 1]]
                self.assertEqual(len(rows), size[s])
                self.assertTrue((self.label[rows] == parent[s]).all())
            for name in ("SubhaloMass", "SubhaloPos", "SubhaloCM", "SubhaloVel", "SubhaloVelDisp", "SubhaloGroupNr"):
                self.assertEqual(len(f["Subhalo"][name]), len(parent))
        self.works("verify", self.path("s.hdf5"), path)

    def bound_scene(self):
        """Clumps that move slowly enough to be bound, and particles that fly by, as two types."""
        random = np.random.default_rng(5)
        x, v = [], []
        for n, middle, size in ((800, (0.5, 0.5, 0.5), 0.06), (150, (0.62, 0.5, 0.5), 0.004), (40, (0.1, 0.9, 0.1), 0.004)):
            # Dense in the middle, as halos are.
            offset = random.normal(0, size, (n, 3)) * random.random((n, 1)) ** 2
            x.append(np.mod(np.array(middle) + offset, 1).astype(np.float32))
            v.append(random.normal(0, 10, (n, 3)).astype(np.float32))
        x, v = np.concatenate(x), np.concatenate(v)
        v[:50] += 3000
        mass, ids = np.full(len(x), 0.5, np.float32), random.permutation(len(x)).astype(np.uint64) + np.uint64(77)
        is_gas = np.arange(len(x)) % 5 == 0
        parts = {t: tuple(a[is_gas == (t == 0)] for a in (x, v, mass, ids)) for t in (0, 1)}
        write_gadget(self.path("bound.hdf5"), parts)
        return parts, np.concatenate([np.flatnonzero(is_gas), np.flatnonzero(~is_gas)])

    def test_bound_subhalos(self):
        parts, place = self.bound_scene()
        path = self.path("h.hdf5")
        told = self.told("subhalos", self.path("bound.hdf5"), "--linking-length", 0.05, "--softening", 0.002,
                         "--method", "subfind", "--labels", "-o", path, "--sorted-snapshot", self.path("sorted.hdf5"))
        self.assertEqual(told["subhalos"], 3)
        with h5py.File(path) as f, h5py.File(self.path("sorted.hdf5")) as sorted_parts:
            sub = f["Subhalo"]
            self.assertEqual(sub["SubhaloGrNr"][:].tolist(), [0, 0, 1])
            self.assertEqual(sub["SubhaloParentRank"][:].tolist(), [0, 0, 0])
            self.assertEqual(f["Group/GroupFirstSub"][:2].tolist(), [0, 2])
            self.assertEqual(f["Group/GroupNsubs"][:2].tolist(), [2, 1])
            label = np.concatenate([f[f"SubhaloLabels/PartType{t}"][:] for t in (0, 1)])
            ids = np.concatenate([parts[t][3] for t in (0, 1)])
            x = np.concatenate([parts[t][0] for t in (0, 1)])
            self.assertEqual(sub["SubhaloLen"][:].tolist(), np.bincount(label[label >= 0]).tolist())
            # Nothing that flies by is bound; the planted clump is.
            self.assertTrue((label[place < 50] == -1).all())
            self.assertGreater((label[(place >= 800) & (place < 950)] == 1).mean(), 0.9)
            np.testing.assert_allclose(sub["SubhaloMass"][:], 0.5 * sub["SubhaloLen"][:], rtol=1e-6)
            np.testing.assert_allclose(sub["SubhaloMassType"][:].sum(1), sub["SubhaloMass"][:], rtol=1e-12)
            for s, mostbound in enumerate(sub["SubhaloIDMostbound"][:]):
                row = np.flatnonzero(ids == mostbound)[0]
                self.assertEqual(label[row], s)
                np.testing.assert_array_equal(sub["SubhaloPos"][s], x[row])
                # The most bound member of each type comes first in the sorted snapshot.
                rows = [slice(o, o + n) for o, n in zip(sub["SubhaloOffsetType"][s], sub["SubhaloLenType"][s])]
                listed = [sorted_parts[f"PartType{t}/ParticleIDs"][rows[t]] for t in (0, 1)]
                self.assertIn(mostbound, [own[0] for own in listed])
                self.assertEqual(sorted(np.concatenate(listed)), sorted(ids[label == s]))
            self.assertTrue((sub["SubhaloVmax"][:] > 0).all() and (sub["SubhaloVmaxRad"][:] > 0).all())
            self.assertTrue((sub["SubhaloHalfmassRad"][:] < sub["SubhaloRadius"][:]).all())
            np.testing.assert_allclose(sub["SubhaloSpin"][:] * sub["SubhaloMass"][:][:, None],
                                       sub["SubhaloAngularMomentum"][:], rtol=1e-12)
        self.works("verify", self.path("bound.hdf5"), path)
        self.works("subhalos", self.path("bound.hdf5"), "--linking-length", 0.05, "-o", self.path("h.npz"))
        self.works("verify", self.path("bound.hdf5"), self.path("h.npz"))
        self.works("subhalos", self.path("bound.hdf5"), "--linking-length", 0.05, "-o", self.path("h.csv"))

    def test_bound_subhalos_in_phase_space(self):
        _, place = self.bound_scene()
        path = self.path("h.hdf5")
        told = self.told("subhalos", self.path("bound.hdf5"), "--linking-length", 0.05, "--softening", 0.002,
                         "--method", "phase", "--labels", "-o", path)
        self.assertEqual(told["subhalos"], 4)
        with h5py.File(path) as f:
            label = np.concatenate([f[f"SubhaloLabels/PartType{t}"][:] for t in (0, 1)])
            self.assertEqual(f["Subhalo/SubhaloGrNr"][:].tolist(), [0, 0, 0, 1])
        # Those that fly by do so together: only phase space sees that they are bound to each other.
        self.assertTrue((label[place < 50] == 2).all())
        self.assertTrue((label[(place >= 50) & (place < 800)] != 2).all())
        self.assertGreater((label[(place >= 800) & (place < 950)] == 1).mean(), 0.9)
        self.works("verify", self.path("bound.hdf5"), path)
        self.works("subhalos", self.path("bound.hdf5"), "--linking-length", 0.05, "--method", "phase", "-o",
                   self.path("h.npz"))
        self.works("verify", self.path("bound.hdf5"), self.path("h.npz"))

    def test_verify_judges_some_members_of_large_subhalos(self):
        random = np.random.default_rng(6)
        n = 6000
        x = (0.5 + random.normal(0, 0.06, (n, 3)) * random.random((n, 1)) ** 2).astype(np.float32)
        v, mass = random.normal(0, 10, (n, 3)).astype(np.float32), np.full(n, 0.5, np.float32)
        snapshot, path = self.path("large.hdf5"), self.path("h.npz")
        write_gadget(snapshot, {1: (x, v, mass, np.arange(n, dtype=np.uint64))})
        told = self.told("subhalos", snapshot, "--linking-length", 0.05, "-o", path)
        self.assertEqual(told["subhalos"], 1)
        self.works("verify", snapshot, path)
        # With a larger softening length nothing would be bound.
        arrays = dict(np.load(path))
        about = arrays["about"].tobytes().decode().replace("subhalo_softening = ", "subhalo_softening = 1000")
        np.savez(path, **{**arrays, "about": np.frombuffer(about.encode(), np.uint8)})
        self.fails(1, "is not bound", "verify", snapshot, path)

    def test_verify_sees_what_is_not_bound(self):
        self.bound_scene()
        path = self.path("h.npz")
        self.works("subhalos", self.path("bound.hdf5"), "--linking-length", 0.05, "-o", path)
        arrays = dict(np.load(path))
        for name, change in (("subhalo_most_bound", 1), ("subhalo_peak", 0.01), ("subhalo_label", 1),
                             ("subhalo_half_mass_radius", 0.01), ("subhalo_spin", 1), ("subhalo_host", 5)):
            np.savez(path, **{**arrays, name: arrays[name] + np.array(change, arrays[name].dtype)})
            self.fails(1, "subhalo", "verify", self.path("bound.hdf5"), path)
        # One that flies by changes its place with a member.
        order = arrays["order"].copy()
        size, label = arrays["subhalo_size"], arrays["subhalo_label"].copy()
        order[0], order[arrays["size"][0] - 1] = order[arrays["size"][0] - 1], order[0]
        label[order[0]], label[order[arrays["size"][0] - 1]] = 0, -1
        self.assertGreater(arrays["size"][0], size[:2].sum())
        np.savez(path, **{**arrays, "order": order, "subhalo_label": label})
        self.fails(1, "bound", "verify", self.path("bound.hdf5"), path)

    def test_picture(self):
        for name, first in {"p.png": b"\x89PNG", "p.svg": b"<"}.items():
            self.works("fof", self.points, "--box", "1", "--linking-length", self.LENGTH, "--picture", self.path(name),
                       "--picture-size", 200)
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(len(first)), first)

    def test_threads_do_not_matter(self):
        path = self.snapshot()
        contents = []
        for threads in (1, 3):
            with open(self.fof(path, "--threads", threads, name=f"{threads}.hdf5"), "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])

    def test_errors(self):
        snapshot = self.snapshot()
        out = self.path("h.hdf5")
        self.fails(2, "excludes", "fof", self.points, "-b", "0.2", "--linking-length", "0.1")
        self.fails(2, "volume", "fof", self.points, "-b", "0.2", "-o", out)
        self.fails(2, "has no particles of type 4", "fof", snapshot, "-b", "0.2", "--attach-types", "4", "-o", out)
        self.fails(2, "linked and attached", "fof", snapshot, "-b", "0.2", "--link-types", "1", "--attach-types", "1")
        self.fails(2, "unknown file format", "fof", snapshot, "-b", "0.2", "-o", self.path("h.txt"))
        self.fails(2, "style swift makes files", "fof", snapshot, "-b", "0.2", "--style", "swift", "-o",
                   self.path("h.npz"))
        self.fails(2, "cannot hold --labels", "fof", snapshot, "-b", "0.2", "--labels", "-o", self.path("h.csv"))
        self.fails(2, "cannot hold --order", "fof", snapshot, "-b", "0.2", "--style", "swift", "--order", "-o", out)
        self.fails(2, "is the input", "fof", snapshot, "-b", "0.2", "-o", snapshot)
        self.fails(2, "need velocities", "subhalos", self.points, "--box", "1", "-b", "0.2",
                   "--phase-linking-length", "0.1", "-o", out)
        self.fails(2, "cannot hold subhalos", "subhalos", snapshot, "-b", "0.2", "--phase-linking-length", "0.1",
                   "--style", "swift", "-o", out)
        self.fails(2, "--method phase_fof", "subhalos", snapshot, "-b", "0.2", "--method", "subfind",
                   "--position-scale", "0.1", "-o", out)
        self.fails(2, "--method subfind", "subhalos", snapshot, "-b", "0.2", "--method", "phase_fof",
                   "--softening", "0.1", "-o", out)
        self.fails(2, "--method subfind;", "subhalos", snapshot, "-b", "0.2", "--method", "phase",
                   "--link-neighbors", "10", "-o", out)
        self.fails(1, "there is no folder", "fof", snapshot, "-b", "0.2", "-o", self.path("x/h.hdf5"))
        bad = self.x.copy()
        bad[17, 1] = np.nan
        self.fails(1, "17", "fof", self.save("bad.npy", bad), "--box", "1", "-b", "0.2")
        file = np.load(self.fof(self.path("bad.npy"), "--box", "1", "--non-finite", "drop", name="h.npz"))
        self.assertEqual(file["label"][17], -1)

    def test_no_permission(self):
        # No user, not even root, can make files in /proc.
        result = run("fof", self.points, "--box", "1", "-b", "0.2", "-o", "/proc/h.hdf5")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "^kith: /proc/h.hdf5: (no permission|cannot be opened)")
        self.assertEqual(result.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
