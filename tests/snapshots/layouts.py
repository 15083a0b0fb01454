"""Snapshots as the simulation codes lay them out, made with h5py and by hand for the tests."""
import pathlib
import struct

import h5py
import numpy as np

UNITS = {"UnitLength_in_cm": 3.085678e21, "UnitMass_in_g": 1.989e43, "UnitVelocity_in_cm_per_s": 1e5}
COSMOLOGY = {"Omega0": 0.3089, "OmegaLambda": 0.6911, "HubbleParam": 0.6774}
A = 0.5
BOX = 35000.0


def particles(n, seed, scalar=np.float32):
    """Position, velocity (as stored), mass and id of n particles."""
    random = np.random.default_rng(seed)
    return {
        "Coordinates": (random.random((n, 3)) * BOX).astype(scalar),
        "Velocities": random.normal(0, 200, (n, 3)).astype(np.float32),
        "Masses": random.random(n).astype(np.float32) + 0.5,
        "ParticleIDs": (random.permutation(n) + 1000 * seed).astype(np.uint64),
    }


def scaling(dataset, a, h, length, mass, velocity, cgs):
    names = ["a_scaling", "h_scaling", "length_scaling", "mass_scaling", "velocity_scaling", "to_cgs"]
    for name, value in zip(names, [a, h, length, mass, velocity, cgs]):
        dataset.attrs[name] = np.float64(value)


def write_type(file, number, fields, skip=(), **options):
    group = file.create_group(f"PartType{number}")
    for name, values in fields.items():
        if name not in skip:
            group.create_dataset(name, data=values, **options)
    return group


def gadget4(path, files=1, ntypes=6, change=None):
    """Gadget-4: 64-bit counts, no high word, units and cosmology among the parameters. Type 0 is only in
    the first file, type 1 has its mass in the table. `change(file, number)` may spoil a file."""
    parts = [{0: particles(40, 1) if k == 0 else None, 1: particles(100 + k, 10 + k, np.float64)}
             for k in range(files)]
    here = [[len(part[t]["ParticleIDs"]) if part.get(t) else 0 for t in range(ntypes)] for part in parts]
    total = np.sum(here, axis=0).astype(np.uint64)
    for k, part in enumerate(parts):
        name = path if files == 1 else f"{path}.{k}.hdf5"
        with h5py.File(name, "w") as file:
            header = file.create_group("Header").attrs
            header["NumPart_ThisFile"] = np.array(here[k], np.uint64)
            header["NumPart_Total"] = total
            header["MassTable"] = np.array([0, 0.25] + [0] * (ntypes - 2), np.float64)
            header["Time"], header["Redshift"], header["BoxSize"] = A, 1 / A - 1, BOX
            header["NumFilesPerSnapshot"] = np.int32(files)
            header["Git_commit"], header["Git_date"] = b"unknown", b"unknown"
            parameters = file.create_group("Parameters").attrs
            for key, value in {**UNITS, **COSMOLOGY, "BoxSize": BOX, "OmegaBaryon": 0.0486}.items():
                parameters[key] = np.float64(value)
            parameters["ComovingIntegrationOn"] = np.int32(1)
            file.create_group("Config").attrs["NTYPES"] = float(ntypes)
            if part[0]:
                write_type(file, 0, part[0])
            group = write_type(file, 1, part[1], skip=["Masses"])
            scaling(group["Coordinates"], 1, -1, 1, 0, 0, UNITS["UnitLength_in_cm"])
            scaling(group["Velocities"], 0.5, 0, 0, 0, 1, UNITS["UnitVelocity_in_cm_per_s"])
            if change:
                change(file, k)
    return parts


def tng(folder, files=3):
    """AREPO as IllustrisTNG has it: 32-bit counts with a high word, units in the header, tracers without
    coordinates, gas that is missing in one file."""
    folder.mkdir()
    parts = [{0: None if k == 1 else particles(30 + k, 20 + k), 1: particles(50 + k, 30 + k)}
             for k in range(files)]
    here = [[len(p[0]["ParticleIDs"]) if p[0] else 0, len(p[1]["ParticleIDs"]), 0, 5, 0, 0] for p in parts]
    for k, part in enumerate(parts):
        with h5py.File(folder / f"snap_099.{k}.hdf5", "w") as file:
            header = file.create_group("Header").attrs
            header["NumPart_ThisFile"] = np.array(here[k], np.int32)
            header["NumPart_Total"] = np.sum(here, axis=0).astype(np.uint32)
            header["NumPart_Total_HighWord"] = np.zeros(6, np.uint32)
            header["MassTable"] = np.array([0, 0.00045, 0, 0, 0, 0])
            header["Time"], header["Redshift"], header["BoxSize"] = 1.0, 2.2e-16, BOX
            header["NumFilesPerSnapshot"] = np.int32(files)
            header["Flag_DoublePrecision"] = np.int32(0)
            for key, value in {**UNITS, **COSMOLOGY}.items():
                header[key] = np.float64(value)
            if part[0]:
                write_type(file, 0, part[0], compression="gzip", chunks=True)
            write_type(file, 1, part[1], skip=["Masses"], compression="gzip", chunks=True)
            file.create_group("PartType3").create_dataset("TracerID", data=np.arange(5))
    return parts


def swift_header(file, here, total, files, number, is_virtual=False):
    header = file.create_group("Header").attrs
    header["BoxSize"] = np.array([BOX, BOX, 2 * BOX])
    header["Dimension"] = np.array([3], np.int32)
    header["Time"] = np.array([0.00742])
    header["Redshift"], header["Scale-factor"] = np.array([1 / A - 1]), np.array([A])
    header["Code"], header["RunName"] = b"SWIFT", b"test"
    header["NumPart_ThisFile"] = np.array(here, np.int64)
    header["NumPart_Total"] = np.array(total, np.uint32)
    header["NumPart_Total_HighWord"] = np.zeros(7, np.uint32)
    header["TotalNumberOfParticles"] = np.array(total, np.int64)
    header["MassTable"] = np.zeros(7)
    header["NumFilesPerSnapshot"] = np.array([files], np.int32)
    header["ThisFile"] = np.array([number], np.int32)
    header["Virtual"] = np.array([int(is_virtual)], np.int32)
    units = file.create_group("Units").attrs
    units["Unit length in cgs (U_L)"] = np.array([3.08567758e24])
    units["Unit mass in cgs (U_M)"] = np.array([1.98841e43])
    units["Unit time in cgs (U_t)"] = np.array([3.08567758e19])
    cosmology = file.create_group("Cosmology").attrs
    cosmology["Cosmological run"] = np.array([1], np.int32)
    for name, value in {"Omega_m": 0.304611, "Omega_lambda": 0.693922, "Omega_b": 0.0486, "h": 0.681}.items():
        cosmology[name] = np.array([value])
    file.create_group("Parameters").attrs["InitialConditions:periodic"] = np.bytes_(b"1")


def swift(path, files=1):
    """SWIFT: seven types, masses always a dataset, chunks with check sums; with several files also the
    virtual one over them, in `path` itself."""
    parts = [particles(60 + k, 40 + k, np.float64) for k in range(files)]
    counts = [[0, len(part["ParticleIDs"]), 0, 0, 0, 0, 0] for part in parts]
    total = np.sum(counts, axis=0)
    stem = str(path)[:-5]
    for k, part in enumerate(parts):
        name = path if files == 1 else f"{stem}.{k}.hdf5"
        with h5py.File(name, "w") as file:
            swift_header(file, counts[k], total, files, k)
            write_type(file, 1, part, chunks=True, fletcher32=True, shuffle=True, compression="gzip")
    if files > 1:
        swift_virtual(path, stem, parts, total)
    return parts


def swift_virtual(path, stem, parts, total):
    with h5py.File(path, "w") as file:
        swift_header(file, total, total, 1, 0, is_virtual=True)
        group = file.create_group("PartType1")
        for name, values in parts[0].items():
            layout = h5py.VirtualLayout((int(total[1]),) + values.shape[1:], values.dtype)
            begin = 0
            for k, part in enumerate(parts):
                source = f"{pathlib.Path(stem).name}.{k}.hdf5"
                end = begin + len(part[name])
                layout[begin:end] = h5py.VirtualSource(source, f"PartType1/{name}", part[name].shape)
                begin = end
            group.create_virtual_dataset(name, layout)


def gadget_binary(path, order="<", version=1, files=1, scalar="f4", is_wide=False):
    """Gadget's own files; `is_wide`: the header of Gadget-4 without GADGET2_HEADER."""
    parts = [{1: particles(20 + k, 50 + k), 4: particles(7, 60 + k)} for k in range(files)]
    here = [[0, len(p[1]["ParticleIDs"]), 0, 0, 7, 0] for p in parts]
    total = np.sum(here, axis=0)
    mass = [0, 2.5, 0, 0, 0, 0]
    for k, part in enumerate(parts):
        if is_wide:
            head = struct.pack(order + "6q6q6d3di4xqq", *here[k], *total, *mass, A, 1 / A - 1, BOX, files, 0, 0)
        else:
            head = struct.pack(order + "6i6d2d2i6I2i4d2i6Ii60x", *here[k], *mass, A, 1 / A - 1, 0, 0, *total, 0,
                               files, BOX, 0.3, 0.7, 0.7, 0, 0, *[0] * 6, 0)
        blocks = [(b"HEAD", head)]
        for tag, name, kind in ((b"POS ", "Coordinates", scalar), (b"VEL ", "Velocities", scalar),
                                (b"ID  ", "ParticleIDs", "u4"), (b"MASS", "Masses", scalar)):
            types = [4] if tag == b"MASS" else [1, 4]
            blocks.append((tag, b"".join(part[t][name].astype(order + kind).tobytes() for t in types)))
        name = path if files == 1 else f"{path}.{k}"
        with open(name, "wb") as file:
            for tag, data in blocks:
                if version == 2:
                    file.write(struct.pack(order + "I4sII", 8, tag, len(data) + 8, 8))
                length = struct.pack(order + "I", len(data))
                file.write(length + data + length)
    return parts
