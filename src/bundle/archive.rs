//! Writes the archive: a tar in the old format that every program reads, compressed with gzip. It
//! contains no time of creation and nothing of the machine that made it, so the same files give the
//! same bytes.

use std::io;

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::Member;

/// A gzip stream in memory, under construction.
pub(crate) type Packed = GzEncoder<Vec<u8>>;

/// An empty one.
pub(crate) fn packed() -> Packed {
    GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best())
}

/// Packs `members` into one directory called `folder`, in the given order. `modified` is the
/// modification time of all of them, in seconds since 1970. Fails if a member's name is not
/// possible in a tar.
pub(crate) fn pack(folder: &str, members: &[Member], modified: u64) -> io::Result<Vec<u8>> {
    let mut archive = Builder::new(packed());
    for member in members {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(member.content.len() as u64);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(modified);
        archive.append_data(
            &mut header,
            format!("{folder}/{}", member.name),
            member.content.as_slice(),
        )?;
    }
    archive.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_same_files_give_the_same_bytes_and_come_out_again() {
        let member = |name: &str, content: &[u8]| Member {
            name: name.to_owned(),
            what: String::new(),
            origin: String::new(),
            content: content.to_vec(),
            is_page: false,
        };
        let members = [member("report.md", b"text"), member("host/a.txt", b"")];
        let packed = pack("bundle", &members, 1_700_000_000).unwrap();
        assert_eq!(packed, pack("bundle", &members, 1_700_000_000).unwrap());
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.mtime().unwrap()), (0, 1_700_000_000));
            found.push((entry.path().unwrap().display().to_string(), content));
        }
        let want = [
            ("bundle/report.md".to_owned(), b"text".to_vec()),
            ("bundle/host/a.txt".to_owned(), Vec::new()),
        ];
        assert_eq!(found, want);
    }
}
